SELECT * FROM objectid_parts('507f1f77bcf86cd799439011');

SELECT objectid_timestamp('507f1f77bcf86cd799439011'),
       objectid_extjson('507f1f77bcf86cd799439011');

# The plots of README.md, from files that bench/run prints.  It sets dir, where,
# rows, cache and seconds.  Bars lie, so that names and values stand beside them.
set datafile separator tab
stats "calls.dat" using 3:4 nooutput name "few"
stats "calls.dat" using 5 nooutput name "many"
stats "insert.dat" using 2:3 nooutput name "insert"

set style fill solid noborder
set border 2 lc rgb "#888888"
unset xtics
set ytics scale 0 tc rgb "black"
blue = "#2f5f9e"
red = "#c0392b"
head = "sans-serif,17"
small = "sans-serif,11"
grey = "#555555"

# Ids a second: a group of three bars for each generator, the last at the bottom.
groups = few_records
height = 130 + 66 * groups
from_top(pixels) = 1 - 1.0 * pixels / height
end = few_max_x > few_max_y ? few_max_x : few_max_y
end = end > many_max ? end : many_max
array colour[3] = ["#a9c4e4", "#6f9bd1", blue]
array clients[3] = ["1 session", "8 sessions", "64 sessions"]
top(i, bar) = -i + 0.38 - 0.26 * (bar - 1)
# Beside the bar, or past the limit if that is near.
beside(value, limit) = end * 0.012 + (limit > value && limit - value < end * 0.08 ? limit : value)
name(s, limit) = limit > 0 ? sprintf("%s\nlimit %.3f", s, limit) : s

set terminal svg size 760,height noenhanced font "sans-serif,13" background "white"
set output dir."/calls.svg"
set label 1 "Millions of distinct ids a second" at screen 0.02, from_top(22) font head
set label 2 where at screen 0.02, from_top(47) tc rgb grey font small
set label 3 sprintf("CACHE %d; one node, one shard; 1000 ids a statement; %d s a bar; ids ahead of the clock at the end are not counted", cache, seconds) \
	at screen 0.02, from_top(65) tc rgb grey font small
set tmargin at screen from_top(110)
set bmargin at screen 0.02
set lmargin at screen 0.28
set rmargin at screen 0.99
set xrange [0:end * 1.08]
set yrange [-groups + 0.45:0.55]
set key at screen 0.98, from_top(90) right Left reverse horizontal samplen 1.2 font "sans-serif,12"
plot for [bar = 1:3] "calls.dat" using (0):(-$0):(0):(column(bar + 2)):(top($0, bar) - 0.24):(top($0, bar)):ytic(name(strcol(1), $2)) \
		with boxxyerror lc rgb colour[bar] title clients[bar], \
	for [bar = 1:3] "calls.dat" using (beside(column(bar + 2), $2)):(top($0, bar) - 0.12):(sprintf("%.2f", column(bar + 2))) \
		with labels left font "sans-serif,10" notitle, \
	"calls.dat" using ($2 > 0 ? $2 : NaN):(-$0 - 0.42):(0):(0.84) with vectors nohead lw 2 lc rgb red title "limit"

# Rows a second, and the size of the index: a bar for each kind of key.
height = 100 + 46 * insert_records
set terminal svg size 760,height
set output dir."/insert.svg"
unset key
set label 1 sprintf("Insert of %s rows by primary key", rows) at screen 0.02, from_top(22)
set label 2 at screen 0.02, from_top(47)
set label 3 sprintf("CACHE %d; layout twitter; one session, one statement", cache) at screen 0.02, from_top(65)
set tmargin at screen from_top(105)
set yrange [-insert_records + 0.4:0.6]
thousands(x) = x < 1000 ? sprintf("%.0f", x) : sprintf("%d,%03d", x / 1000, int(x) % 1000)

set multiplot
set label 4 "thousand rows a second of processor time" at graph 0, 1.07 font "sans-serif,12"
set lmargin at screen 0.19
set rmargin at screen 0.60
set xrange [0:insert_max_x * 1.2]
plot "insert.dat" using (0):(-$0):(0):2:(-$0 - 0.36):(-$0 + 0.36):ytic(1) with boxxyerror lc rgb blue, \
	"" using ($2 + insert_max_x * 0.02):(-$0):(thousands($2)) with labels left font "sans-serif,12"
unset label 1
unset label 2
unset label 3
set label 4 "index, bytes a row"
set lmargin at screen 0.66
set rmargin at screen 0.98
set xrange [0:insert_max_y * 1.2]
plot "insert.dat" using (0):(-$0):(0):3:(-$0 - 0.36):(-$0 + 0.36):ytic("") with boxxyerror lc rgb blue, \
	"" using ($3 + insert_max_y * 0.02):(-$0):(sprintf("%.1f", $3)) with labels left font "sans-serif,12"
unset multiplot

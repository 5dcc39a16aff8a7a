# The plots of a run, from files that bench/run prints.  It sets dir, where, rows, many,
# some, cache and seconds.  Bars lie, so that names and values stand beside them.
set datafile separator tab
stats "calls.dat" using 3:4 nooutput name "few"
stats "calls.dat" using 5 nooutput name "many"
stats "insert.dat" using 2:3 nooutput name "insert"
stats "day.dat" using 2:3 nooutput name "day"
stats "day.dat" using 4 nooutput name "query"

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

# The last day of a large table: two bars in each of three panels.
height = 220
set terminal svg size 760,height noenhanced
set output dir."/day.svg"
set label 1 sprintf("The last day of %s rows of a hundred days", many) at screen 0.02, from_top(22) font head
set label 2 where at screen 0.02, from_top(47) tc rgb grey font small
set label 3 "by the time in the primary key, an objectid; or by a column with an index of its own" at screen 0.02, from_top(65) tc rgb grey font small
set tmargin at screen from_top(110)
unset ytics
set yrange [-1.6:0.6]
array title[3] = ["indexes, bytes a row", "thousand inserts a second", "ms a query of the last day"]
array maximum[3] = [day_max_x, day_max_y, query_max]
set multiplot
do for [panel = 1:3] {
	if (panel == 2) { unset label 1; unset label 2; unset label 3 }
	set label 4 title[panel] at graph 0, 1.09 font "sans-serif,12"
	set lmargin at screen 0.19 + 0.27 * (panel - 1)
	set rmargin at screen 0.42 + 0.27 * (panel - 1)
	set xrange [0:maximum[panel] * 1.3]
	plot "day.dat" using (0):(-$0):(0):(column(panel + 1)):(-$0 - 0.36):(-$0 + 0.36) with boxxyerror lc rgb blue, \
		"" using (panel == 1 ? 0 : NaN):(-$0):1 with labels right offset -1 font "sans-serif,12", \
		"" using (column(panel + 1) + maximum[panel] * 0.03):(-$0):(sprintf(maximum[panel] < 100 ? "%.1f" : "%.0f", column(panel + 1))) with labels left font "sans-serif,12"
}
unset multiplot

# What grows with rows, and with sessions: a line for each kind of work.
height = 400
set terminal svg size 760,height
set output dir."/growth.svg"
set label 1 "Statements a second, as the table and the sessions grow" at screen 0.02, from_top(22) font head
set label 2 where at screen 0.02, from_top(47) tc rgb grey font small
set label 3 sprintf("each statement one row or call, or a range of 100 rows; with sessions, %s rows; one run of %d s a point", some, (seconds + 2) / 2) \
	at screen 0.02, from_top(65) tc rgb grey font small
unset label 4
set border 3 lc rgb "#888888"
set logscale xy
set yrange [1000:*]
set termoption enhanced
set format y "%.0s%c"
set ytics nomirror tc rgb "black"
set tmargin at screen from_top(95)
set bmargin at screen from_top(350)
unset mxtics
unset mytics
array work[4] = ["insert", "range of 100 rows", "settled\\_snowflake", "next\\_shard\\_id"]
array lines[4] = ["#2f5f9e", "#6f9bd1", "#c0392b", "#e59866"]
set key at graph 0.03, graph 0.03 left bottom Left reverse vertical samplen 1.5 font "sans-serif,12"
set multiplot
set lmargin at screen 0.09
set rmargin at screen 0.48
set format x "10^{%L}"
set xtics nomirror tc rgb "black"
set xrange [*:*] noextend
set xlabel "rows, 8 sessions"
plot for [i = 1:4] "growth-rows.dat" using 1:(column(i + 1)) with linespoints lw 2 pt 7 ps 0.5 lc rgb lines[i] title work[i]
unset key
unset label 1
unset label 2
unset label 3
set lmargin at screen 0.58
set rmargin at screen 0.97
set format x "%g"
set xrange [1:200]
set xtics (1, 2, 8, 32, 64, 200)
set xlabel "sessions"
plot for [i = 1:4] "growth-sessions.dat" using 1:(column(i + 1)) with linespoints lw 2 pt 7 ps 0.5 lc rgb lines[i] title work[i]
unset multiplot

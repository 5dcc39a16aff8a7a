# The plots of README.md, from files that bench/run prints; it sets dir.
set terminal svg size 720,400 noenhanced font "sans-serif,12" background "white"
set style fill solid 0.85 noborder
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set key below maxcols 3 samplen 1

set output dir."/calls.svg"
set title "Ids a second, 1000 to a statement"
set xlabel "clients"
set ylabel "million ids a second"
set style data histograms
set style histogram clustered gap 1
set boxwidth 0.9
set linetype 5 lc rgb "#d0c030"
set yrange [0:*]
plot for [i = 2:columns] "calls.dat" using (column(i) / 1e6):xticlabels(1) title columnheader(i)

set output dir."/insert.svg"
unset title
set multiplot layout 1,2 title sprintf("Insert of %s rows into a table with a primary key", rows)
unset key
unset xlabel
set xtics rotate by -35
set ylabel "thousand rows a processor second"
plot "insert.dat" using ($2 / 1e3):xticlabels(1) lc rgb "#3366aa"
set ylabel "index, bytes a row"
plot "insert.dat" using 3:xticlabels(1) lc rgb "#aa6633"
unset multiplot

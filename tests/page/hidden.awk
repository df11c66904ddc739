# How many points of a picture lie below its bold names: points are paths "Mx yh0" with a title, a name's letters are 0.6 of its
# size wide.
BEGIN { RS = "<" }
/^g / { bold = /class="[^"]*bo/; anchor = /"end"/ ? 1 : /"middle"/ ? 0.5 : 0 }
/^path d="M[0-9.]+ [0-9.]+h0"/ { split($0, at, /[M "h]+/); x[++dots] = at[3]; y[dots] = at[4] }
/^text / && bold { name = $0; sub(/[^>]*>/, "", name); match($0, /x="[0-9.]+/); tx[++names] = substr($0, RSTART + 3, RLENGTH - 3)
    match($0, /y="[0-9.]+/); ty[names] = substr($0, RSTART + 3, RLENGTH - 3); wide[names] = 0.6 * 13 * length(name); tx[names] -= anchor * wide[names] }
END {
    for (n = 2; n <= names; n++) # the first is the title
        for (d = 1; d <= dots; d++)
            hidden += x[d] > tx[n] && x[d] < tx[n] + wide[n] && y[d] > ty[n] - 10 && y[d] < ty[n] + 2
    print dots + 0, names + 0, hidden + 0
}

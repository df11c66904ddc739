# Pictures in SVG, by themselves or in a page: no text lies on another, and none leaves its picture.
#
#   awk -f tests/page/overlaps.awk FILE...
#
# How wide a text is depends on the reader's letters: here 0.37 of their size for each narrow one, 0.62 for others, and a
# tenth more where they are bold, which is what wide faces have.
# Prints each fault; exit status 1 where there is one, 2 where there is no text at all.
BEGIN { RS = "<"; FS = ">" }

function value(tag, name,    at, rest) {
    at = index(tag, " " name "=\"")
    if (at == 0)
        return ""
    rest = substr(tag, at + length(name) + 3)
    return substr(rest, 1, index(rest, "\"") - 1)
}

# Characters, not bytes; what stands for one in HTML is one.
function width_of(text,    narrow) {
    gsub(/&[#a-z0-9]+;/, "x", text)
    gsub(/[\200-\277]/, "", text)
    narrow = gsub(/[ ijlfrt.,:;'|!()\/-]/, "", text)
    return (0.37 * narrow + 0.62 * length(text)) * (bold ? 1.1 : 1) * size
}

function fault(what) {
    print FILENAME ": " what " in \"" picture "\""
    bad = 1
}

function add(tag, text,    width, anchor, left) {
    width = width_of(text)
    left = value(tag, "x") + 0
    if (anchor_of == "end")
        left -= width
    else if (anchor_of == "middle")
        left -= width / 2
    x0[count] = left
    x1[count] = left + width
    y0[count] = value(tag, "y") - 0.72 * size
    y1[count] = value(tag, "y") + 0.2 * size
    said[count] = text
    if (x0[count] < -1 || x1[count] > wide + 1 || y0[count] < -1 || y1[count] > high + 1)
        fault("\"" text "\" leaves the picture")
    for (i = 0; i < count; i++)
        if (x0[i] + 1 < x1[count] && x0[count] + 1 < x1[i] && y0[i] + 1 < y1[count] && y0[count] + 1 < y1[i])
            fault("\"" said[i] "\" and \"" text "\" lie on one another")
    count++
    texts++
}

/^svg/ {
    split(value($1, "viewBox"), box, " ")
    wide = box[3]
    high = box[4]
    picture = value($1, "aria-label")
    own = size = value($1, "font-size")
    anchor_of = ""
    count = 0
    drawing = 1
}
/^title/ && drawing && picture == "" { picture = $2 }
/^g[ >]/ && drawing {
    size = value($1, "font-size") != "" ? value($1, "font-size") : own
    anchor_of = value($1, "text-anchor")
    bold = value($1, "class") ~ / bo( |$)/
}
/^\/g>/ && drawing { size = own; anchor_of = ""; bold = 0 }
/^text/ && drawing { add($1, $2) }
/^\/svg/ { drawing = 0 }
END { exit bad ? 1 : texts > 0 ? 0 : 2 }

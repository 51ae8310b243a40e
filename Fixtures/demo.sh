#!/bin/sh
# The main job on real documents: edit one, and see what was written and what was reused.
# Usage: demo.sh DOCPKG
set -eu
docpkg=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
pictures=$(cd "$(dirname "$0")/Demo" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$pictures"/Trip.txt "$pictures"/Dawn.png "$pictures"/Lake.jpeg "$pictures"/Hut.jpeg .

say() { printf '\n# %s\n' "$*"; }
run() {
  printf '$ docpkg'
  for word in "$@"; do
    case $word in
    *[!A-Za-z0-9_./=:+-]*) printf " '%s'" "$word" ;;
    *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$docpkg" "$@"
}

say "A document of text and pictures: a plain directory of ordinary files."
run new Trip.imageNotes --text-file Trip.txt --image Dawn.png --image Lake.jpeg
run tree Trip.imageNotes --long

say "Edit the text. Only the text and the metadata are written; the pictures are reused."
run edit Trip.imageNotes --append "Written at the hut, with cold fingers."

say "Add a picture, give it a caption, put it first: one save."
run edit Trip.imageNotes --add-image Hut.jpeg --caption "Hut.jpeg=The last light" --move-image Hut.jpeg=1
run show Trip.imageNotes | tail -n 5

say "An edit by another program is no damage. Every child has a digest: damage keeps the date, and is found and named."
run verify Trip.imageNotes
echo "A line from any editor." >>Trip.imageNotes/Text.txt
run verify Trip.imageNotes
touch -r Trip.imageNotes/Images/Dawn.png date
printf 'x' | dd of=Trip.imageNotes/Images/Dawn.png bs=1 seek=1000 conv=notrunc status=none
touch -r date Trip.imageNotes/Images/Dawn.png
run verify Trip.imageNotes || echo "(exit status $?)"
cp Dawn.png "Trip.imageNotes/Dawn (conflicted copy).png"
run repair Trip.imageNotes || true

say "The same for a package that another program made: a book, by pandoc. It gets no file of ours."
cp -R "$pictures/Valleys.epub" .
sed 's/valley/dale/g' Valleys.epub/EPUB/text/ch002.xhtml >ch002.xhtml
run edit Valleys.epub --set EPUB/text/ch002.xhtml=ch002.xhtml --dry-run
run edit Valleys.epub --set EPUB/text/ch002.xhtml=ch002.xhtml
if diff -r "$pictures/Valleys.epub" Valleys.epub >differences; then
  echo "nothing differs" && exit 1
fi
printf '$ diff -rq before after\n'
diff -rq "$pictures/Valleys.epub" Valleys.epub | sed "s|$pictures|before|; s| Valleys| after/Valleys|" || true

say "Errors name the child and the reason, and change nothing."
printf '$ docpkg edit Trip.imageNotes --add-image Trip.txt\n'
"$docpkg" edit Trip.imageNotes --add-image Trip.txt 2>&1 || echo "(exit status $?)"

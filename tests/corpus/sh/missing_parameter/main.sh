set -e
echo "branch ${BRANCH:=main}"
cp_to() { echo "copying $1 to ${TARGET:?no target given}"; }

TARGET=backup cp_to notes.txt
unset TARGET
cp_to notes.txt
echo "never printed"

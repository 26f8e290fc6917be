#!/bin/sh
# An agent that counts: FOLDER NAME LINES MODE. It leaves word in FOLDER/NAME of every start and of its own end, so that a
# test can tell what really happened, whatever others say.
truth="$1/$2"
echo "started" >>"$truth"
case "$4" in
stubborn) trap '' TERM ;;
littering) (setsid sh -c 'sleep 300' >/dev/null 2>&1 &) ;;
esac
line=1
while [ "$line" -le "$3" ]; do
  echo "$2 line $line"
  if [ "$4" != hasty ] || [ $((line % 50)) = 0 ]; then sleep 0.05; fi
  line=$((line + 1))
done
echo "finished" >>"$truth"
[ "$4" = failing ] && exit 7
exit 0

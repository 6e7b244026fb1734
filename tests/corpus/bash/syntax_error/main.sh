for name in one two three; do
  if [ "$name" = two ]; then
    echo "$name"
done

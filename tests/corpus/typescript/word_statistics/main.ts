const text = "The cat — die Katze. The cat, the hat! 猫 naïve Ångström";
const counts = new Map<string, number>();
for (const { segment, isWordLike } of new Intl.Segmenter("en", { granularity: "word" }).segment(text)) {
  if (!isWordLike) continue;
  const word = segment.toLocaleLowerCase("en").normalize("NFC");
  counts.set(word, (counts.get(word) ?? 0) + 1);
}
const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
console.log(sorted.slice(0, 2));
return Object.fromEntries(sorted);

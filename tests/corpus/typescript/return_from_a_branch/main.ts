const found = [3, 8, 12].find((n) => n > 5);
if (found !== undefined) {
  console.log("found it");
  return found;
}
console.log("never said");

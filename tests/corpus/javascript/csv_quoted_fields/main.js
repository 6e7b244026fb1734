const { readFileSync } = require('fs');
const { isDeepStrictEqual } = require('util');

function parse(text) {
  const rows = [[]];
  let field = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') {
        field += letter;
      } else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else {
        quoted = false;
      }
    } else if (letter === '"') {
      quoted = true;
    } else if (letter === ',' || letter === '\n') {
      rows.at(-1).push(field);
      field = '';
      if (letter === '\n') rows.push([]);
    } else if (letter !== '\r') {
      field += letter;
    }
  }
  if (quoted) throw new SyntaxError('quote left open');
  if (field || rows.at(-1).length > 0) rows.at(-1).push(field);
  else rows.pop();
  return rows;
}

const quote = (field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
const format = (rows) => rows.map((row) => row.map(quote).join(',')).join('\n');

const table = parse(readFileSync(0, 'utf8'));
const [header, ...rows] = table;
const books = rows.map((row) => Object.fromEntries(header.map((key, at) => [key, row[at] ?? null])));
const total = books.reduce((sum, { price }) => sum + Number(price), 0);
console.log(`${books.length} books, ${total.toFixed(2)}`);
console.log(format(table));
console.log(isDeepStrictEqual(parse(format(table)), table), parse('').length, parse('a\n').length);
try {
  parse('a,"b');
} catch (error) {
  console.log(`${error.name}: ${error.message}`);
}
return books;

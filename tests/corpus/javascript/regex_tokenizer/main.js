const TOKEN = /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<operator>\*\*|[-+*/()]))/y;

function* tokens(text) {
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`unexpected '${text[at]}' at ${at}`);
    yield match.groups.number !== undefined ? Number(match.groups.number) : match.groups.operator;
  }
}

function evaluate(text) {
  const queue = [...tokens(text)];
  const atom = () => {
    const token = queue.shift();
    if (token === '-') return -atom();
    if (token !== '(') return token;
    const value = sum();
    queue.shift();
    return value;
  };
  const power = () => {
    const base = atom();
    return queue[0] === '**' ? (queue.shift(), base ** power()) : base;
  };
  const chain = (next, table) => () => {
    let value = next();
    while (queue[0] in table) value = table[queue.shift()](value, next());
    return value;
  };
  const product = chain(power, { '*': (a, b) => a * b, '/': (a, b) => a / b });
  const sum = chain(product, { '+': (a, b) => a + b, '-': (a, b) => a - b });
  return sum();
}

const results = ['2 + 3 * 4', '-(1.5 + 3)', '1 / 10', '2 ** 3 ** 2'].map(evaluate);
console.log(results.join(' | '));
try {
  evaluate('2 $ 3');
} catch (error) {
  console.log(error.message);
}
return results;

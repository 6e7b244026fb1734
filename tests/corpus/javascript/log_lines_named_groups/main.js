const log = `2024-03-01T09:15:02Z [INFO] api: GET /users 200 in 12ms
2024-03-01T09:15:03Z [WARN] api: GET /users/7 404 in 3ms
not a log line
2024-03-01T09:16:10Z [ERROR] db: timeout after 5000ms, cost $12.50 (was $9)
2024-03-01T09:16:11Z [INFO] api: retried in 40ms`;

const LINE = /^(?<date>[\d-]{10})T(?<time>[\d:]{8})Z \[(?<level>[A-Z]+)\] (?<source>\w+): (?<text>.*)$/gm;

const levels = {};
for (const { index, groups: { time, level, source, text } } of log.matchAll(LINE)) {
  levels[level] = (levels[level] ?? 0) + 1;
  const [ms] = text.match(/\d+(?=ms)/);
  console.log(`${String(index).padStart(3)} ${time} ${level.padEnd(5)} ${source.padEnd(3)} ${ms}`);
}

console.log(log.match(/(?<=\$)\d+(?:\.\d+)?/g).join(' '), log.match(/\bFATAL\b/g));
console.log('cat concat cats'.replace(/(?<!con)cat/g, 'dog'));
console.log('2024-03-01'.replace(/(?<y>\d+)-(?<m>\d+)-(?<d>\d+)/, '$<d>.$<m>.$<y>'));
console.log('snake_case_name'.replace(/_(?<letter>[a-z])/g, (...found) => found.at(-1).letter.toUpperCase()));
console.log('a1b22c'.split(/(\d+)/).join('|'), 'one, two;three'.split(/[,;]\s*/).join('|'));
console.log(/\b(?<word>\w+) \k<word>\b/i.exec('what is Is it').groups.word);
console.log(/a.b/.test('a\nb'), /a.b/s.test('a\nb'), /^b$/m.test('a\nb'), /^.$/u.test('😀'));
console.log('Ωmega αβγ x'.match(/\p{Script=Greek}+/gu).join(' '));

const [start, end] = /(?<word>wor\w+)/d.exec('hello world').indices.groups.word;
console.log(start, end);

const sticky = /\d\d/y;
sticky.lastIndex = 2;
console.log(sticky.test('ab12cd'), sticky.lastIndex, sticky.test('ab12cd'), sticky.lastIndex);
return levels;

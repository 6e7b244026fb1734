const path = require('path').posix;
const querystring = require('querystring');

const url = new URL('https://user:pa%20ss@example.org:8080/a/b/../c%20d?x=1&y=two%20words&x=3#top');
console.log(url.hostname, url.port, url.pathname, url.username, url.hash, url.origin);
console.log(url.searchParams.getAll('x').join(), url.searchParams.get('y'), url.searchParams.get('z'));
url.searchParams.delete('x');
url.searchParams.append('q', 'a&b=ü');
url.searchParams.sort();
Object.assign(url, { password: '', port: '443', hash: '' });
console.log(url.href);

const links = [
  ['../img/./logo.png?v=2', 'https://cdn.example.org/css/main/site.css'],
  ['//other.example/x', 'http://a.example/deep/'],
  ['?page=2', 'http://a.example/list?page=1#end'],
  ['HTTP://EXAMPLE.com:80/%7Efoo'],
  ['http://bücher.example/straße'],
  ['no url at all'],
];
for (const [link, base] of links) {
  try {
    console.log(new URL(link, base).href);
  } catch (error) {
    console.log(error.name, error.code);
  }
}

const pairs = [...new URLSearchParams({ a: '1', b: 'x y' })];
console.log(pairs.map((pair) => pair.join('=')).join(';'), String(new URLSearchParams(pairs)));
console.log(JSON.stringify(querystring.parse('a=1&a=2&b=&c&d=%E2%82%AC+1')));
console.log(querystring.stringify({ list: [1, 2], text: 'a b', flag: true }));

console.log(path.join('data', '..', 'logs', './app.log'), path.relative('a/b/c', 'a/d'));
const { dir, base, name, ext } = path.parse('x/y/report.tar.gz');
console.log(dir, base, name, ext, path.format({ dir, name: 'copy', ext }));
console.log(path.normalize('a//b/./c/..'), path.basename('x/y.js', '.js'), `[${path.extname('.bashrc')}]`);
return { url, parts: pairs };

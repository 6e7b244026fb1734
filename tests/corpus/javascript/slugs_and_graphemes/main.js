const slug = (title) => title
  .normalize('NFKD')
  .replace(/\p{M}/gu, '')
  .toLowerCase()
  .replace(/[^\p{L}\p{N}]+/gu, '-')
  .replace(/^-|-$/g, '');

const titles = ['Crème Brûlée & Café', '  Ångström № 5 ', 'ﬁnal ﬂight²', 'Ünïcode — 日本語!'];
const slugs = titles.map(slug);
for (const name of slugs) console.log(name);

const segments = (text, granularity) =>
  [...new Intl.Segmenter('en', { granularity }).segment(text)];
const graphemes = (text) => segments(text, 'grapheme').map(({ segment }) => segment);
const truncate = (text, count) => {
  const parts = graphemes(text);
  return parts.length > count ? `${parts.slice(0, count).join('')}…` : text;
};

const text = '👨‍👩‍👧🇩🇪👍🏽e\u0301z';
console.log(text.length, [...text].length, graphemes(text).length);
console.log(graphemes(text).reverse().join('') === 'ze\u0301👍🏽🇩🇪👨‍👩‍👧');
console.log(truncate(text, 2), truncate('short', 5), truncate('longer', 5));

const words = segments("Don't stop, 3.5 times!", 'word').filter(({ isWordLike }) => isWordLike);
console.log(words.map(({ segment, index }) => `${segment}@${index}`).join(' '));

console.log('é' === 'e\u0301', 'é'.normalize('NFD') === 'e\u0301', 'ﬁ'.normalize('NFC') === 'ﬁ');
console.log('ΑΣ ΑΣ'.toLowerCase(), 'İ'.toLowerCase().length, 'ŉ'.toUpperCase().length);
console.log(['Zebra', 'apple', 'Äpfel', 'zoo'].sort().join(' '));
return slugs;

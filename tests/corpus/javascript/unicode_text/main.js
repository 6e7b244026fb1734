const samples = ['naïve', '漢字かな', 'שלום עולם', '👩‍🚀 up', 'e\u0301', '𝄞'];
for (const text of samples) {
  console.log(text.length, [...text].length, Buffer.byteLength(text), text);
}
console.log('e\u0301'.normalize('NFC') === '\u00e9', '😀'.codePointAt(0).toString(16));
console.log([...'añb'].reverse().join(''), 'ß'.toUpperCase(), '\u{1F680}');
console.log(encodeURIComponent('ü/漢'), decodeURIComponent('%F0%9F%98%80'), escape('é'));
console.log('a😀b'.match(/\p{Emoji_Presentation}/gu), /^\p{Script=Han}+$/u.test('漢字'));

return ['😀', '漢字', 'שלום'].join('');

const words: string = 'one two three';
return words.matchAll(/\w+/g);

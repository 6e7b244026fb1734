return { q: new URLSearchParams('a=1') };

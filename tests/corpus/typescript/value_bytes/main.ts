return { bytes: new TextEncoder().encode("abc") };

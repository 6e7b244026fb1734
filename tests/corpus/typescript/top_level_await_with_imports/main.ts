#!/usr/bin/env -S deno run
/* The imports of this program
   come first. */
import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import {
  basename,
  join,
} from "node:path"; // two of them

const digest = async (text: string): Promise<string> => {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toHex();
};

const hash: Hash = createHash("sha256").update("abc");
const both = [hash.digest("hex"), await digest("abc")];
return { same: both[0] === both[1], hex: both[0].slice(0, 16), path: basename(join("a", "..", "b.ts")) };

import { helper } from "./helper.ts";
helper();

// Every page of the site, one by one.
import { document } from "../layout/document.js";
import { pages } from "../lib/pages.js";

export const data = {
  pages,
  pagination: { data: "pages", size: 1, alias: "sheet" },
  permalink: ({ sheet }) => `${sheet.url}index.html`,
};

export const render = ({ sheet }) => document(sheet);

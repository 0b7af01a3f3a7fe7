import { licence, pictures } from "./lib/book.js";

export default function (site) {
  site.addPassthroughCopy({ theme: "theme" });
  // From the repository, where the folder of the site is not.
  site.addPassthroughCopy({ [licence.from]: licence.to, ...Object.fromEntries(pictures) });
  return { dir: { input: "pages", includes: "../layout" } };
}

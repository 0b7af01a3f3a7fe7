import { licence } from "./lib/book.js";

export default function (site) {
  site.addPassthroughCopy({ theme: "theme" });
  // From the repository, where the folder of the site is not.
  site.addPassthroughCopy({ [licence.from]: licence.to });
  return { dir: { input: "pages", includes: "../layout" } };
}

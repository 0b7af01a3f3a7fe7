// Snippets as an editor takes them: what they propose stands there, and what a stop leaves open is taken from what is offered first.

/** The text of a snippet, and where its stops are that nothing is proposed for. */
export function expanded(snippet) {
  const part = /\\([\\$}])|\$\{\d+\|([^,|]*)[^|]*\|\}|\$\{(\d+):([^}]*)\}|\$\{?(\d+)\}?/g;
  const open = [];
  let text = "";
  let from = 0;
  for (const { 0: whole, 1: plain, 2: chosen, 4: proposed, 5: stop, index } of snippet.matchAll(part)) {
    text += snippet.slice(from, index);
    from = index + whole.length;
    if (stop && stop !== "0") open.push({ at: text.length, length: 0 });
    if (proposed === "place") open.push({ at: text.length, length: proposed.length });
    text += plain ?? chosen ?? proposed ?? "";
  }
  return { text: text + snippet.slice(from), open };
}

// VS Code's workbench in a browser, as somebody would use it: by its keys, its palette and what it shows. Nothing waits for a time; all
// waits for what is to be seen.
import { readFileSync } from "node:fs";

const PATIENCE = 45_000;

export class Workbench {
  constructor(page, folder) {
    this.page = page;
    this.folder = folder;
  }

  /** Until `look` gives something: what it gives. What it throws meanwhile is what is not there yet. */
  async until(what, look, patience = PATIENCE) {
    const end = Date.now() + patience;
    for (let last; ; ) {
      try {
        last = await look();
        if (last !== undefined && last !== null && last !== false) return last;
      } catch (error) {
        last = error.message;
      }
      if (Date.now() > end) throw new Error(`${what}: not within ${patience / 1000} s; last seen ${JSON.stringify(last) ?? "nothing"}`);
      await this.page.waitForTimeout(100);
    }
  }

  /** What elements show, without the spaces that do not break. */
  texts(selector) {
    return this.page.$$eval(selector, (all) => all.map((it) => it.textContent.replaceAll("\u00a0", " ").trim()).filter(Boolean));
  }

  async see(what, selector, wanted, patience) {
    const fits = (text) => (wanted instanceof RegExp ? wanted.test(text) : text.includes(wanted));
    let shown = [];
    try {
      return await this.until(what, async () => (shown = await this.texts(selector)).find(fits), patience);
    } catch (error) {
      throw new Error(`${error.message}; shown is ${JSON.stringify(shown).slice(0, 2000)}`);
    }
  }

  async gone(what, selector, wanted) {
    await this.until(what, async () => !(await this.texts(selector)).some((text) => text.includes(wanted)));
  }

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text) {
    return this.page.keyboard.type(text, { delay: 15 });
  }

  /** The box at the top, opened by a key, with what is asked for on offer; it is asked again where it was too early. */
  async offer(key, text, wanted) {
    await this.until(`${text} in the box`, async () => {
      await this.press("Escape", key);
      const box = this.page.locator(".quick-input-widget:visible .quick-input-box input");
      await box.waitFor({ timeout: 3000 });
      await box.fill(text);
      await this.see(wanted, ".quick-input-widget:not([style*='display: none']) .quick-input-list .monaco-list-row.focused", wanted, 4000);
      return true;
    });
  }

  async quick(key, text, wanted) {
    await this.offer(key, text, wanted);
    await this.press("Enter");
  }

  command(title) {
    return this.quick("F1", `>${title}`, title);
  }

  /** One of the rows that a command offers. */
  async pick(text) {
    await this.see(`${text} on offer`, ".quick-input-list .monaco-list-row", text);
    await this.type(text);
    await this.see(`${text} chosen`, ".quick-input-list .monaco-list-row.focused", text);
    await this.press("Enter");
  }

  async open(file) {
    await this.quick("Control+P", file, file.split("/").at(-1));
    await this.see(`a tab of ${file}`, ".tab.active .label-name", file.split("/").at(-1));
    await this.page.locator(".monaco-editor .view-line").first().waitFor();
  }

  /** The settings of the folder, by way of the editor: not every machine tells of files that others write. */
  async settings(wanted) {
    const text = JSON.stringify(wanted);
    await this.open(".vscode/settings.json");
    await this.press("Control+A");
    await this.page.keyboard.insertText(text);
    await this.press("Control+Shift+End", "Delete"); // what the editor closed by itself
    await this.until("the settings on disk", () => this.text(".vscode/settings.json") === text);
    await this.press("Control+F4");
    await this.focus();
  }

  /** What lies on disk: the workbench writes at once what is typed. */
  text(file = "train.bp") {
    return readFileSync(`${this.folder}/${file}`, "utf8");
  }

  /** The cursor into the text: in front of `part` within the first `around`. */
  async goto(around, part = around) {
    const text = this.text();
    const start = text.indexOf(around);
    if (start < 0) throw new Error(`no ${JSON.stringify(around)} in the blueprint`);
    const before = text.slice(0, start + around.indexOf(part)).split("\n");
    const place = `${before.length}:${before.at(-1).length + 1}`;
    await this.focus();
    await this.quick("Control+G", `:${place}`, `${before.length}`);
    await this.see("the cursor there", "#status\\.editor\\.selection", `Ln ${before.length}, Col ${before.at(-1).length + 1}`);
  }

  async focus(file = "train.bp") {
    await this.page.locator(`.tab[data-resource-name="${file}"]`).first().click();
    await this.see(`${file} in front`, ".tab.active .label-name", file);
  }

  /** The workbench as it was: one editor, and its text. */
  async cleared(text, file = "train.bp") {
    await this.press("Escape", "Escape");
    await this.focus(file);
    await this.until("the text as it was", async () => {
      if (this.text(file) === text) return true;
      await this.press("Control+Z");
      await this.page.waitForTimeout(200);
      return this.text(file) === text;
    });
    if ((await this.page.locator(".tab").count()) > 1) await this.command("View: Close Other Editors in Group");
    if ((await this.page.locator(".editor-group-container").count()) > 1) await this.command("View: Close Editors in Other Groups");
    if (await this.page.locator(".part.panel").isVisible()) await this.command("View: Toggle Panel Visibility");
  }

  /** Types over `old`, the first one within `around`. */
  async replace(around, old, text) {
    const wanted = this.text().replace(around, around.replace(old, text));
    await this.goto(around, old);
    for (const _ of old) await this.press("Shift+ArrowRight");
    await this.type(text);
    await this.until(`${text} on disk`, () => this.text() === wanted);
  }

  /** Another text in place of all of it, where the editor indents and closes nothing by itself. */
  async write(text) {
    await this.focus();
    await this.press("Control+A");
    await this.page.keyboard.insertText(text);
    await this.until("the text on disk", () => this.text() === text);
  }

  /** The colour of a word, once it is that: of the piece of the line that has it. */
  async coloured(line, word, wanted) {
    const seen = () =>
      this.page.evaluate(
        ([line, word]) => {
          const plain = (it) => it.textContent.replaceAll("\u00a0", " ");
          const shown = [...document.querySelectorAll(".monaco-editor .view-line")].find((it) => plain(it).includes(line));
          const piece = shown && [...shown.querySelectorAll("span > span")].find((it) => plain(it).includes(word));
          return piece && getComputedStyle(piece).color;
        },
        [line, word],
      );
    let colour;
    await this.until(`${word} in ${wanted}`, async () => (colour = await seen()) === wanted).catch((error) => {
      throw new Error(`${error.message}; it is ${colour}`);
    });
  }

  /** What a panel's own page says: of frames within frames the one that has such an element. */
  inFrame(what, selector, wanted) {
    return this.until(what, async () => {
      for (const frame of this.page.frames()) {
        const texts = await frame.$$eval(selector, (all) => all.map((it) => it.textContent.trim())).catch(() => []);
        if (texts.some((text) => text.includes(wanted))) return frame;
      }
      return undefined;
    });
  }
}

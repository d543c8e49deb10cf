// Keys, and what a slider shows. Everything else is HTML.
"use strict";

// AltGr, which types "[" on many keyboards, is Control and Alt in some browsers.
const command = (e) => e.metaKey || ((e.ctrlKey || e.altKey) && !e.getModifierState("AltGraph"));
const typing = (e) => e.target.closest("input, select, textarea") || command(e);

document.addEventListener("keydown", (e) => {
  if (typing(e)) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  const rows = [...document.querySelectorAll("table.rows tbody a")];
  const at = rows.indexOf(document.activeElement);
  const steps = { j: 1, k: -1 };
  if (e.key in steps && rows.length) {
    const next = rows[Math.min(Math.max(at + steps[e.key], 0), rows.length - 1)];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  } else if (e.key === "/") {
    document.getElementById("find").focus();
  } else if (e.key === "[") {
    document.getElementById("earlier")?.click();
  } else if (e.key === "]") {
    document.getElementById("later")?.click();
  } else {
    return;
  }
  e.preventDefault();
});

document.addEventListener("input", (e) => {
  const shown = document.getElementById(e.target.dataset?.shows);
  if (shown) shown.textContent = e.target.value;
});

// Lines of a cut are loaded once: their button goes when they are there.
document.addEventListener("htmx:after:swap", (e) => {
  const button = e.detail?.ctx?.sourceElement;
  if (button?.matches("button[data-once]") && e.detail.ctx.response?.raw?.ok) button.remove();
});

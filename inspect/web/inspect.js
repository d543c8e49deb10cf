// Keys, and what a slider shows. Everything else is HTML.
"use strict";

const typing = (e) => e.target.closest("input, select, textarea") || e.ctrlKey || e.metaKey || e.altKey;

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

// A page of lines is loaded once: its button goes.
document.addEventListener("click", (e) => {
  const button = e.target.closest("button[data-once]");
  if (button) setTimeout(() => button.remove(), 0);
});

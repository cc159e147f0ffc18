// The page of snippets: copies them, and shows the previews as other sites would.

import "./embed.js";
import "./frame.js";

const status = document.querySelector("[role=status]");

async function copy(code, { copied, selected }) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return copied;
  } catch { // no permission, or no https
    getSelection().selectAllChildren(code);
    return selected;
  }
}

for (const snippet of document.querySelectorAll(".snippet")) {
  const button = snippet.querySelector("button");
  const copyText = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(snippet.querySelector("code"), button.dataset);
    status.textContent = done;
    button.textContent = done;
    setTimeout(() => (button.textContent = copyText), 3000);
  });
}

// The page of snippets: copies them, and shows the previews as other sites would.

import "./embed.js";
import "./frame.js";

const status = document.querySelector("[role=status]");

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return "Copied";
  } catch { // no permission, or no https
    getSelection().selectAllChildren(code);
    return "Selected: copy it with the keyboard";
  }
}

for (const snippet of document.querySelectorAll(".snippet")) {
  const button = snippet.querySelector("button");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(snippet.querySelector("code"));
    status.textContent = done;
    button.textContent = done;
    setTimeout(() => (button.textContent = "Copy"), 3000);
  });
}

"use strict";
// Downloads: what is embedded in the page becomes a file of its own. Details are open on paper.
for (const link of document.querySelectorAll("a[data-file]")) {
  const text = document.getElementById(link.dataset.file).textContent;
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.hidden = false;
}
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});

"use strict";
// Downloads: what is embedded in the page becomes a file of its own. Details are open on paper.
for (const link of document.querySelectorAll("a[data-file]")) {
  const text = document.getElementById(link.dataset.file).textContent;
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.hidden = false;
}
if (location.href === "about:srcdoc") {
  // In the frame of a notebook a link to a place of the page would load the notebook into the frame.
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      document.getElementById(link.hash.slice(1)).scrollIntoView();
    });
  }
}
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});

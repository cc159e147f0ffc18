// Starts the viewer on this service's own document, and gives what it shows the names and levels that readers of the screen need.

const NAMES = { servers: "Server" };
const REGIONS = { ".information-container": "About", ".scheme-container": "Servers and authorization" };

// A plain text instead of a link within a button; opening an operation still puts it into the address.
const withoutNestedLinks = (system) => ({
  wrapComponents: { DeepLink: () => ({ text }) => system.React.createElement("span", null, text) },
});

function label(viewer) {
  for (const [part, name] of Object.entries(REGIONS)) {
    const each = viewer.querySelector(`${part}:not([role])`);
    if (each) Object.assign(each, { role: "region", ariaLabel: name });
  }
  for (const each of viewer.querySelectorAll("h3.opblock-tag:not([aria-level])")) {
    each.setAttribute("role", "heading");
    each.setAttribute("aria-level", "2");
  }
  for (const each of viewer.querySelectorAll("h4:not([aria-level])")) {
    each.setAttribute("role", "heading");
    each.setAttribute("aria-level", "3");
  }
  for (const each of viewer.querySelectorAll("select:not([aria-label]), input:not([aria-label]), textarea:not([aria-label])")) {
    const row = each.closest("[data-param-name]");
    each.setAttribute("aria-label", NAMES[each.id] ?? row?.dataset.paramName ?? each.placeholder ?? "Value");
    if (!each.getAttribute("aria-label")) each.setAttribute("aria-label", "Media type");
  }
  for (const each of viewer.querySelectorAll("pre:not([tabindex])")) each.tabIndex = 0; // they scroll
}

const viewer = document.getElementById("viewer");
new MutationObserver(() => label(viewer)).observe(viewer, { childList: true, subtree: true });

window.ui = SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#viewer",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [withoutNestedLinks],
});

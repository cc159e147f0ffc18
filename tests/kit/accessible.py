"""What axe finds wrong on a page, at a small and a large screen."""

from axe_playwright_python.async_playwright import Axe

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}

SMALL = """() => [...document.querySelectorAll("a, button, summary")].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.width > 1 && !each.closest(".body p, footer") && (box.height < 23.9 || box.width < 23.9);
}).map((each) => `${each.className} ${each.textContent} ${JSON.stringify(each.getBoundingClientRect())}`)"""


async def violations(page):
    """What axe-core finds, as rule and elements."""
    found = (await Axe().run(page, options=RULES)).response["violations"]
    return {each["id"]: [node["target"] + [node["failureSummary"]] for node in each["nodes"]] for each in found}

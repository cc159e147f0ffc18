"""The page of a liveblog, and the changes that its script asks for."""

PAGE = "/liveblogs/gderby"


async def changes(server, refresh, page=PAGE, **params):
    response = await server.http.get(page, params={"fragment": "1", "refresh": refresh, **params})
    return response, response.json() if response.status_code == 200 else None

// oidc-provider, as it is certified, once for each habit in `given`: prints the address of each when it listens.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const given = JSON.parse(process.argv[2]);

function start(habit) {
  const server = createServer((request, response) => serve(request, response));
  let serve;
  server.listen(0, "127.0.0.1", () => {
    const address = `http://127.0.0.1:${server.address().port}`;
    const provider = new Provider(address, {
      clients: [given.client],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      conformIdTokenClaims: habit !== "fat", // what it does by itself: the token says who it is, UserInfo the rest
      features: { claimsParameter: { enabled: habit === "on request" } },
      cookies: { keys: ["of a test"] },
      findAccount: (_, id) => id in given.people && { accountId: id, claims: () => ({ sub: id, ...given.people[id] }) },
    });
    serve = provider.callback();
    console.log(JSON.stringify({ [habit]: address }));
  });
}

given.habits.forEach(start);

// A provider of single sign-on for tests: the certified one of npm, with people that a test names.
// Called with one JSON argument: port, client, redirect URI, logout URI. It serves on loopback only.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const asked = JSON.parse(process.argv[2]);
const issuer = `http://127.0.0.1:${asked.port}`;
// Claims by subject; whoever is missing has no account any more.
const people = new Map(Object.entries(asked.people));

const provider = new Provider(issuer, {
  clients: [{
    client_id: "workbench",
    client_secret: "hush",
    redirect_uris: [asked.redirect_uri],
    grant_types: ["authorization_code"],
    backchannel_logout_uri: asked.logout_uri,
    backchannel_logout_session_required: true,
  }],
  claims: { openid: ["sub", "groups"], profile: ["preferred_username"], email: ["email"] },
  scopes: ["openid", "profile", "email"],
  cookies: { keys: ["of no importance"] },
  features: { backchannelLogout: { enabled: true } },
  findAccount: (_, sub) => (people.has(sub)
    ? { accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }
    : undefined),
  // Its own asks no address of this machine, where the site is.
  fetch: (url, { dispatcher, ...options }) => fetch(url, options),
  issueRefreshToken: () => true,
  // Nobody is asked for consent: a firm gives it for all of its people.
  async loadExistingGrant(ctx) {
    const grant = new ctx.oidc.provider.Grant({
      clientId: ctx.oidc.client.clientId,
      accountId: ctx.oidc.session.accountId,
    });
    grant.addOIDCScope("openid profile email");
    await grant.save();
    return grant;
  },
});

provider.on("backchannel.error", (_, error) => console.error("no logout:", error.message, error.cause));
provider.on("server_error", (_, error) => console.error("failed:", error));

const callback = provider.callback();
createServer((request, response) => {
  // Of the test alone: who is known from here on.
  if (request.url === "/people" && request.method === "PUT") {
    let body = "";
    request.on("data", (part) => { body += part; });
    request.on("end", () => {
      people.clear();
      Object.entries(JSON.parse(body)).forEach(([sub, claims]) => people.set(sub, claims));
      response.writeHead(204).end();
    });
    return;
  }
  callback(request, response);
}).listen(asked.port, "127.0.0.1", () => console.log("ready"));

import https from "node:https";

export function getMessaging(app) {
  const { projectId, credential, httpAgent } = app.options;
  let isHTTP1 = false;
  return {
    enableLegacyHttpTransport() { isHTTP1 = true; },
    async send(message) {
      if (!isHTTP1) throw new Error("over HTTP/2 the SDK ignores the agent");
      const { access_token: token } = await credential.getAccessToken();
      const body = JSON.stringify({ message });
      return new Promise((resolve, reject) => {
        const request = https.request({
          protocol: "https:", host: "fcm.googleapis.com", port: 443, method: "POST", agent: httpAgent,
          path: `/v1/projects/${projectId}/messages:send`,
          headers: {
            Authorization: `Bearer ${token}`, "Content-Type": "application/json;charset=utf-8",
            "Content-Length": Buffer.byteLength(body), access_token_auth: "true",
          },
        }, async (response) => {
          const text = (await response.toArray()).join("");
          if (response.statusCode === 200) resolve(JSON.parse(text).name);
          else reject(new Error(`${response.statusCode} ${text}`));
        });
        request.on("error", reject);
        request.end(body);
      });
    },
  };
}

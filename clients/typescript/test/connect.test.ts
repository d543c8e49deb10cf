// Addresses, tokens and TLS.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UnavailableError, connect } from "toolresult";
import { Fake, message } from "./fake.js";
import { Sidecar, shortDir } from "./sidecar.js";

test("what is no address", async () => {
  for (const address of ["localhost", "http://127.0.0.1:80", "127.0.0.1:", "a b:1", ":80", "127.0.0.1:80/x"]) {
    await assert.rejects(connect({ address }), TypeError, address);
  }
  for (const address of ["localhost:1", "[::1]:1", "127.0.0.1:1", "unix:///s", "unix:/s"]) {
    assert.equal((await connect({ address })).address, address);
  }
});

test("a token is sent in clear to this machine only", async () => {
  for (const address of ["10.0.0.1:1", "example.com:1", "[2001:db8::1]:1", "127.0.0.1.example.com:1", "0.0.0.0:1"]) {
    await assert.rejects(connect({ address, token: "secret" }), TypeError, address);
    await connect({ address, token: "secret", tls: {} });
    await connect({ address });
  }
  for (const address of ["127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1", "[0:0:0:0:0:0:0:1]:1"]) {
    await connect({ address, token: "secret" });
  }
});

test("the token of the environment is not sent on a socket, and one that was given is", async () => {
  process.env["TOOLRESULT_TOKEN"] = "of the environment";
  try {
    const fake = await new Fake((stream) => message(stream)).listen();
    await (await connect({ address: fake.address })).info();
    await (await connect({ address: fake.address, token: "given" })).info();
    assert.deepEqual(
      fake.requests.map((headers) => headers.authorization),
      [undefined, "Bearer given"],
    );
    await assert.rejects(connect({ address: "10.0.0.1:1" }), TypeError);
  } finally {
    delete process.env["TOOLRESULT_TOKEN"];
  }
});

test("TLS by the certificate of an authority, and with one of the client", async () => {
  const dir = shortDir();
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: dir, stdio: "pipe" });
  const authority = (name: string) =>
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.pem`);
  authority("ca");
  for (const name of ["server", "client"]) {
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`);
    writeFileSync(join(dir, "ext"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
    openssl("x509", "-req", "-in", `${name}.csr`, "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext", "-out", `${name}.pem`);
  }
  writeFileSync(join(dir, "token"), "a-token-that-is-long-enough-for-this\n", { mode: 0o600 });
  const at = (name: string) => join(dir, name);
  const sidecar = await new Sidecar(
    "--tcp=127.0.0.1:0",
    `--token-file=${at("token")}`,
    `--tls-cert=${at("server.pem")}`,
    `--tls-key=${at("server.key")}`,
    `--tls-client-ca=${at("ca.pem")}`,
  ).start();
  const address = sidecar.tcp;
  const token = "a-token-that-is-long-enough-for-this";
  const [ca, cert, key] = ["ca.pem", "client.pem", "client.key"].map((name) => readFileSync(at(name))) as [Buffer, Buffer, Buffer];
  const client = await connect({ address, token, tls: { ca, cert: cert.toString(), key } });
  assert.equal((await client.projectText("echo", "hello\n")).receipt, "Tool output:\nhello");
  client.close();
  const once = { timeoutMs: 3000 };
  for (const tls of [{ ca }, {}, undefined]) { // without a certificate, of an authority that is not known, in clear
    const other = await connect({ address, token, tls });
    await assert.rejects(other.healthy(once), UnavailableError);
    other.close();
  }
});

/** A service for the conformance tools, and a door to it that adds the credential which some of them cannot send. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startService } from '../helpers/service.ts';

const service = await startService();
const { hostname, port } = new URL(service.url);

const door = createServer((req, res) => {
  const headers = { ...req.headers, authorization: `Bearer ${service.token}` };
  const onward = request({ hostname, port, path: req.url, method: req.method, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  onward.on('error', () => res.destroy());
  res.on('close', () => onward.destroy());
  req.pipe(onward);
});

door.listen(0, '127.0.0.1', () => {
  const { port: doorPort } = door.address() as AddressInfo;
  process.stdout.write(`${service.url}/mcp http://127.0.0.1:${doorPort}/mcp ${service.token}\n`);
});

process.once('SIGTERM', async () => {
  door.close();
  door.closeAllConnections();
  await service.close();
  process.exit(0);
});

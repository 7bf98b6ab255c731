/** A door to the service that adds the credential, for tools that cannot send one. Usage: door.mjs <address of the service> <token> */
import { createServer, request } from 'node:http';

const [address = '', token = ''] = process.argv.slice(2);
const { hostname, port } = new URL(address);

const door = createServer((req, res) => {
  const headers = { ...req.headers, authorization: `Bearer ${token}` };
  const onward = request({ hostname, port, path: req.url, method: req.method, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  onward.on('error', () => res.destroy());
  res.on('close', () => onward.destroy());
  req.pipe(onward);
});

door.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${door.address().port}\n`);
});

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  /** The given address, by way of the proxy. */
  url: string;
  /** `cut` drops all connections and refuses new ones, `silent` takes new ones and never answers. */
  mode: 'open' | 'cut' | 'silent';
  cut(): void;
  close(): Promise<void>;
}

/** Stands between a client and its server, to fail like a network. `answerFirst` may answer a connection's first bytes itself and end it. */
export async function startTcpProxy(target: string, answerFirst: (bytes: Buffer) => Buffer | undefined = () => undefined): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    track(client);
    if (proxy.mode === 'cut') client.destroy();
    if (proxy.mode !== 'open') return;
    client.once('data', (bytes) => {
      const answer = answerFirst(bytes);
      if (answer !== undefined) return void client.end(answer);
      const upstream = connect(Number(port || 5432), hostname);
      track(upstream);
      upstream.write(bytes);
      client.pipe(upstream).pipe(client);
    });
  });
  function track(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const proxy: TcpProxy = {
    url: url.href,
    mode: 'open',
    cut() {
      proxy.mode = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}

import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const atOnce = 8;

/** Forces a folder with all it holds, and its own entry, to the disk. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true });
  const paths = [...entries.map((entry) => join(folder, entry)), folder, dirname(folder)];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) await syncPath(path);
    }),
  );
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

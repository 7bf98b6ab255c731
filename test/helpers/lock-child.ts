// A process that takes the lock of a data folder, says so, and keeps it until it is killed.
// usage: node --import tsx lock-child.ts FOLDER
import { lockFolder } from '../../src/store/lock.ts';

await lockFolder(process.argv[2] ?? '').then(
  () => console.log('locked'),
  (error: Error) => console.log(`${error.name}: ${error.message}`),
);
setInterval(() => undefined, 60_000);

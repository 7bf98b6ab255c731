// A process that opens a data folder, says so, and then writes rows one by one, naming each once it is acknowledged.
// usage: node --import tsx pglite-child.ts FOLDER [rows]
import { openDatabase } from '../../src/store/open.ts';

const [dataDir = '', rows = '0'] = process.argv.slice(2);
try {
  const database = await openDatabase({ databaseUrl: undefined, dataDir });
  await database.exec('create table if not exists row (n int)');
  console.log('open');
  for (let n = 1; n <= Number(rows); n += 1) {
    await database.query('insert into row values ($1)', [n]);
    console.log(n);
  }
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  process.exit(1);
}

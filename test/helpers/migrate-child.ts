// A process that migrates a Postgres database and prints which files it applied.
// usage: node --import tsx migrate-child.ts DATABASE_URL FOLDER
import { migrate } from '../../src/store/migrate.ts';
import { openDatabase } from '../../src/store/open.ts';

const [databaseUrl = '', dir = ''] = process.argv.slice(2);
const database = await openDatabase({ databaseUrl, dataDir: 'unused' });
try {
  console.log(JSON.stringify((await migrate(database, dir)).applied));
} catch (error) {
  console.log(JSON.stringify([String(error)]));
} finally {
  await database.close();
}

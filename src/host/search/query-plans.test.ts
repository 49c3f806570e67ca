// The query plans for searches of users: the repositories of each user that is found are counted with an index.
import { testPlans } from '../../../test/query-plans.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { searchUsersByRepositories } from './store.ts';

const NOW = 1_800_000_000_000;

testPlans('the repositories of the users that are found are counted with an index', {
  rows: 3000,
  insertRows: (tx, rows) => insertRepositoryRows(tx, rows, NOW),
  async execute(db) {
    for (const order of ['asc', 'desc'] as const)
      await searchUsersByRepositories(db, 'a', order, { offset: 0, limit: 10 });
  },
  atLeast: 3,
  scan: /SCAN repositories|Seq Scan on repositories/,
});

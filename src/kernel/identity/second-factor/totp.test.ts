import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRecoveryCodes, recoveryCodeOf } from './recovery-codes.ts';
import { findTotpStep, newTotpSecret, totpAddress, totpCode, totpStepAt } from './totp.ts';

/** "12345678901234567890", as RFC 6238 has it in its appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('codes are those of RFC 6238', () => {
  const known: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ];
  for (const [seconds, code] of known) assert.equal(totpCode(SECRET, totpStepAt(seconds * 1000)), code);
});

test('a code counts in its step and in those beside it, and only once', () => {
  const now = 1_700_000_010_000;
  const step = totpStepAt(now);
  for (const distance of [-1, 0, 1])
    assert.equal(findTotpStep(SECRET, totpCode(SECRET, step + distance), now, 0), step + distance);
  for (const distance of [-2, 2])
    assert.equal(findTotpStep(SECRET, totpCode(SECRET, step + distance), now, 0), undefined);
  assert.equal(findTotpStep(SECRET, totpCode(SECRET, step), now, step), undefined);
  for (const code of ['', '0', 'abcdef', totpCode(SECRET, step).slice(1)])
    assert.equal(findTotpStep(SECRET, code, now, 0), undefined, code);
});

test('a secret has 160 bits in base32, and its address names the server and the account', () => {
  assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/);
  assert.notEqual(newTotpSecret(), newTotpSecret());
  assert.equal(
    totpAddress(SECRET, { issuer: 'Box at home', account: 'ada' }),
    `otpauth://totp/Box%20at%20home:ada?secret=${SECRET}&issuer=Box%20at%20home&algorithm=SHA1&digits=6&period=30`,
  );
});

test('recovery codes are ten, and known however they are typed', () => {
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) {
    assert.match(code, /^(?:[a-km-z2-9]{4}-){3}[a-km-z2-9]{4}$/);
    assert.equal(recoveryCodeOf(` ${code.toUpperCase().replaceAll('-', ' ')} `), code);
  }
  for (const wrong of ['', '123456', 'aaaa-bbbb', `${codes[0]!}a`, codes[0]!.replace(/.$/, '1')])
    assert.equal(recoveryCodeOf(wrong), undefined, wrong);
});

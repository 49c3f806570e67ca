import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPasswordRules } from './password-rules.ts';

const ADA = { username: 'ada-lovelace', email: 'ada.king@example.com' };
const check = (password: string, passwordLength = 8) => checkPasswordRules(password, ADA, { passwordLength });

test('passwords that everybody tries first are refused, however they are written', () => {
  for (const common of [
    'password',
    'PassWord1',
    '12345678',
    'qwertyuiop',
    'aaaaaaaa',
    'abababab',
    '123123123',
  ])
    assert.throws(() => check(common), /tried first/, common);
});

test('names of the member are refused', () => {
  for (const own of ['Ada-Lovelace', 'ada.king', 'ada.king@example.com'])
    assert.throws(() => check(own), /your own name/, own);
});

test('as many characters are needed as the operator says, as people count them', () => {
  check('wet socks');
  assert.throws(() => check('wet socks', 12), /at least 12 characters/);
  assert.throws(() => check('🦊🐻🐼🐨', 8), /at least 8/);
  check('🦊🐻🐼🐨🐯🦁🐮🐷', 8);
});

test('nothing else is demanded', () => {
  for (const fine of ['only small letters', 'ßpäßchen', '  a  b  c', 'tr0ub4dor&3']) check(fine);
});

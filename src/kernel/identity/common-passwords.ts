// Passwords of eight characters and more that are tried first wherever somebody guesses, in lower case.

const WORDS = `
password password1 password12 password123 password1234 passw0rd p@ssw0rd p@ssword passw0rd1 passwort passwort1
12345678 123456789 1234567890 12345678910 123123123 87654321 987654321 0987654321 11223344 12341234 123454321 147258369 0123456789
1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc q1w2e3r4 q1w2e3r4t5 qazwsxedc zaq12wsx zaq1zaq1 qwer1234 qwerty12 qwerty123 qwerty1234
qwerty12345 qwertyui qwertyuiop qwertyuiop1 asdfghjk asdfghjkl asdf1234 asdfasdf zxcvbnm1 zxcvbnm123 qwertz123 qwertzui qwertzuiop azertyuiop
abcd1234 abc12345 abc123456 a1b2c3d4 a1234567 a12345678 a123456789 aa123456 aa12345678 abcdefgh abcdefghi abcdefg1 1234abcd 1234qwer
iloveyou iloveyou1 iloveyou2 sunshine sunshine1 princess princess1 football football1 baseball baseball1 basketball superman superman1
batman123 starwars starwars1 pokemon1 pokemon123 dragon123 monkey123 shadow123 master123 letmein1 letmein123 welcome1 welcome12 welcome123
welcome2024 welcome2025 welcome2026 changeme changeme1 changeme123 change_me changethis trustno1 whatever whatever1 computer internet
michelle jennifer jordan23 liverpool chelsea1 arsenal1 charlie1 michael1 jessica1 ashley123 summer2024 summer2025 summer2026 winter2024
winter2025 winter2026 spring2026 autumn2026 samsung1 google123 facebook facebook1 linkedin minecraft mustang1 mercedes corvette
admin123 admin1234 admin12345 administrator adminadmin rootroot root1234 toortoor default1 default123 test1234 test12345 testtest testing1
testing123 tester123 temp1234 temppass guest123 user1234 username username1 login123 secret123 secret1234 topsecret qwerty!@# 1234!@#$
server123 database postgres mysql123 oracle123 manager1 supervisor operator signalbox signalbox1 signalbox123 correcthorsebatterystaple
`;

export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

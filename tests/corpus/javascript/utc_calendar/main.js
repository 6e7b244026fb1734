const DAY = 24 * 60 * 60 * 1000;
const utc = (year, month, day = 1) => new Date(Date.UTC(year, month - 1, day));
const iso = (date) => date.toISOString().slice(0, 10);

function calendar(year, month) {
  const blanks = (utc(year, month).getUTCDay() + 6) % 7;
  const days = utc(year, month + 1, 0).getUTCDate();
  const cells = [...Array(blanks).fill(''), ...Array.from({ length: days }, (_, n) => String(n + 1))];
  const lines = ['Mo Tu We Th Fr Sa Su'];
  while (cells.length > 0) lines.push(cells.splice(0, 7).map((cell) => cell.padStart(2)).join(' '));
  return lines.join('\n');
}

function isoWeek(date) {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * DAY);
  const year = thursday.getUTCFullYear();
  const week = Math.ceil(((thursday - utc(year, 1)) / DAY + 1) / 7);
  return `${year}-W${String(week).padStart(2, '0')}`;
}

function addMonths(date, count) {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1 + count, date.getUTCDate()];
  return utc(year, month, Math.min(day, utc(year, month + 1, 0).getUTCDate()));
}

function workdays(from, to) {
  let count = 0;
  for (let at = from.getTime(); at < to.getTime(); at += DAY) {
    if (new Date(at).getUTCDay() % 6 !== 0) count += 1;
  }
  return count;
}

function ageOn(born, date) {
  const monthOf = (day) => day.getUTCFullYear() * 12 + day.getUTCMonth();
  const months = monthOf(date) - monthOf(born);
  return Math.floor((date.getUTCDate() < born.getUTCDate() ? months - 1 : months) / 12);
}

console.log(calendar(2024, 2));
const days = ['2021-01-03', '2023-01-01', '2024-12-30', '2026-01-01'];
console.log(days.map((day) => isoWeek(new Date(day))).join(' '));
console.log([1, 3, 13, -2].map((count) => iso(addMonths(utc(2024, 1, 31), count))).join(' '));
console.log(workdays(utc(2024, 2, 26), utc(2024, 3, 5)), iso(utc(2023, 2, 29)), utc(2024, 2, 30) > utc(2024, 3, 1));
console.log(ageOn(utc(2000, 2, 29), utc(2023, 2, 28)), ageOn(utc(2000, 2, 29), utc(2023, 3, 1)));
try {
  iso(new Date('2024-13-01'));
} catch (error) {
  console.log(`${error.name}: ${error.message}`);
}

import { describe, expect, it } from 'vitest';
import {
  formatCount,
  formatHead,
  formatRatio,
  formatRow,
  formatTime,
  type TableColumn,
} from '../src/program/table.js';

describe('the table', () => {
  const columns: readonly TableColumn[] = [
    { title: 'what', width: 6, align: 'left' },
    { title: 'ms', width: 5, align: 'right' },
    { title: 'why', width: 3, align: 'left' },
  ];

  it('aligns titles and cells, without blanks at the end', () => {
    expect(formatHead(columns)).toBe('what       ms  why\n------  -----  ---');
    expect(formatRow(columns, ['sort', '1.5', 'so'])).toBe('sort      1.5  so');
    expect(formatRow(columns, ['sort'])).toBe('sort');
  });

  it('lets a long cell push the rest aside', () => {
    expect(formatRow(columns, ['argsort it', '1.5', 'so'])).toBe('argsort it    1.5  so');
  });

  it.each([
    [0.0123456, '12.3 µs'],
    [0.5, '500 µs'],
    [1.2345, '1.23 ms'],
    [99.94, '99.9 ms'],
    [1234.5, '1,235 ms'],
  ])('formats %f ms as %s', (milliseconds, text) => {
    expect(formatTime(milliseconds)).toBe(text);
  });

  it.each([
    [0.0234, '0.02x'],
    [0.997, '1.00x'],
    [3.456, '3.46x'],
    [34.56, '34.6x'],
    [345.6, '346x'],
  ])('formats the ratio %f as %s', (ratio, text) => {
    expect(formatRatio(ratio)).toBe(text);
  });

  it('groups thousands', () => {
    expect(formatCount(3000000)).toBe('3,000,000');
  });
});

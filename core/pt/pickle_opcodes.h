#pragma once

namespace reelgrid::pt {

/// Opcodes of Python's pickle protocol 2 and what later protocols add that plain data use.
enum class Opcode : unsigned char {
    Mark = '(',
    Stop = '.',
    Pop = '0',
    BinInt = 'J',
    BinInt1 = 'K',
    BinInt2 = 'M',
    None = 'N',
    BinPersId = 'Q',
    Reduce = 'R',
    BinString = 'T',
    ShortBinString = 'U',
    BinUnicode = 'X',
    EmptyList = ']',
    Append = 'a',
    Build = 'b',
    Global = 'c',
    EmptyDict = '}',
    Appends = 'e',
    BinGet = 'h',
    LongBinGet = 'j',
    BinPut = 'q',
    LongBinPut = 'r',
    SetItem = 's',
    Tuple = 't',
    SetItems = 'u',
    EmptyTuple = ')',
    BinFloat = 'G',
    Proto = 0x80,
    Tuple1 = 0x85,
    Tuple2 = 0x86,
    Tuple3 = 0x87,
    NewTrue = 0x88,
    NewFalse = 0x89,
    Long1 = 0x8a,
    ShortBinUnicode = 0x8c,
    StackGlobal = 0x93,
    Memoize = 0x94,
    Frame = 0x95,
};

}  // namespace reelgrid::pt

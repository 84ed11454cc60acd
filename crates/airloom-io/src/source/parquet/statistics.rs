//! What footers prove of a table.

use super::footer::Footer;
use crate::source::schema::convert;
use airloom_compute::data::{SourceError, arrow_to_type, value_at};
use airloom_ir::attrs::SortKey;
use airloom_ir::oracle::order::total;
use airloom_ir::types::Types;
use airloom_ir::value::Value;
use airloom_opt::facts::ColumnStatistics;
use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::datatypes::{DataType, Schema};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::Type as Stored;
use parquet::file::metadata::RowGroupMetaData;

/// What is known of a column of the files: each fact only where every row group that has rows says it.
pub(crate) fn column(schema: &Schema, column: usize, footers: &[Footer]) -> Result<ColumnStatistics, SourceError> {
    let field = schema.field(column);
    let mut known = ColumnStatistics { nulls: Some(0), ..ColumnStatistics::default() };
    let (mut least, mut greatest): (Option<Value>, Option<Value>) = (None, None);
    let mut bounded = true;
    let mut rows = 0;
    let mut single = None;
    for footer in footers {
        rows += footer.rows();
        let groups = Groups::of(footer, field.name(), field.data_type());
        for (at, group) in footer.metadata.row_groups().iter().enumerate().filter(|(_, group)| group.num_rows() > 0) {
            let Some(groups) = &groups else {
                // The file does not have the column: it is null in all its rows; or it is nested, and nothing is known.
                let missing = footer.reader_schema.field_with_name(field.name()).is_err();
                known.nulls = known.nulls.filter(|_| missing).map(|nulls| nulls + group.num_rows() as u64);
                bounded &= missing;
                continue;
            };
            known.nulls = known.nulls.zip(groups.nulls(at)).map(|(before, more)| before + more);
            single = groups.distinct(footer, group);
            match groups.bounds(at) {
                Some((low, high)) => {
                    widen(&mut least, &mut greatest, &low);
                    widen(&mut least, &mut greatest, &high);
                }
                None => bounded &= groups.nulls(at) == Some(group.num_rows() as u64),
            }
        }
    }
    if bounded {
        (known.min, known.max) = (least, greatest);
    }
    let one_group = footers.iter().map(|footer| footer.metadata.num_row_groups()).sum::<usize>() == 1;
    let null = u64::from(known.nulls.is_some_and(|nulls| nulls > 0));
    let values = rows - known.nulls.unwrap_or(0);
    known.distinct = match (&known.min, &known.max) {
        _ if values == 0 => Some(null),
        (Some(low), Some(high)) if total(low, high).is_eq() => Some(1 + null),
        _ if one_group && single.is_some() => single.map(|count| count + null),
        // Integers between two others; where there are more of those than rows, the values must be read.
        (Some(Value::Int(low)), Some(Value::Int(high))) if high - low < i128::from(values) => Some((high - low + 1) as u64 + null),
        _ => None,
    };
    Ok(known)
}

/// Widens a minimum and a maximum to include a value.
pub(crate) fn widen(least: &mut Option<Value>, greatest: &mut Option<Value>, value: &Value) {
    if least.as_ref().is_none_or(|least| total(value, least).is_lt()) {
        *least = Some(value.clone());
    }
    if greatest.as_ref().is_none_or(|greatest| total(value, greatest).is_gt()) {
        *greatest = Some(value.clone());
    }
}

/// The column by which rows are sorted, where every file says that its row groups are and they follow each other without overlapping.
pub(crate) fn sorted(schema: &Schema, footers: &[Footer]) -> Option<(usize, SortKey)> {
    let mut claimed: Option<(String, bool)> = None;
    for footer in footers {
        for group in footer.metadata.row_groups().iter().filter(|group| group.num_rows() > 0) {
            let first = group.sorting_columns()?.first()?;
            let leaf = group.columns().get(usize::try_from(first.column_idx).ok()?)?.column_descr();
            let [name] = leaf.path().parts() else { return None };
            match &claimed {
                None => claimed = Some((name.clone(), first.descending)),
                Some(known) if known.0 == *name && known.1 == first.descending => (),
                Some(_) => return None,
            }
        }
    }
    let (name, descending) = claimed?;
    let column = schema.index_of(&name).ok()?;
    let mut end: Option<Value> = None;
    for footer in footers {
        let groups = Groups::of(footer, &name, schema.field(column).data_type());
        for (at, _) in footer.metadata.row_groups().iter().enumerate().filter(|(_, group)| group.num_rows() > 0) {
            let groups = groups.as_ref()?;
            let (low, high) = groups.bounds(at).filter(|_| groups.nulls(at) == Some(0))?;
            let (first, last) = if descending { (high, low) } else { (low, high) };
            let follows = end.is_none_or(|end| if descending { total(&first, &end).is_le() } else { total(&first, &end).is_ge() });
            if !follows {
                return None;
            }
            end = Some(last);
        }
    }
    Some((column, SortKey { descending, nulls_first: false }))
}

/// Whether the row groups follow one another by a column: it has no nulls, and every value of a group is above those of the groups before.
pub(super) fn groups_rise(name: &str, physical: &DataType, footers: &[Footer]) -> bool {
    let mut end: Option<Value> = None;
    footers.iter().all(|footer| {
        let Some(groups) = Groups::of(footer, name, physical) else { return false };
        let mut filled = footer.metadata.row_groups().iter().enumerate().filter(|(_, group)| group.num_rows() > 0);
        filled.all(|(at, _)| {
            let Some((low, high)) = groups.bounds(at).filter(|_| groups.nulls(at) == Some(0)) else { return false };
            let follows = end.as_ref().is_none_or(|end| total(end, &low).is_lt());
            end = Some(high);
            follows
        })
    })
}

/// What the row groups of one file say of one column.
struct Groups {
    leaf: usize,
    mins: ArrayRef,
    maxes: ArrayRef,
    nulls: Option<arrow::array::UInt64Array>,
    exact: (Option<BooleanArray>, Option<BooleanArray>),
    types: Types,
    /// Whether its minimum and maximum can be believed to the last bit.
    bounds: bool,
    /// Whether a value has a fixed width, so that a bound is never cut short.
    fixed: bool,
    deprecated: Vec<bool>,
}

impl Groups {
    fn of(footer: &Footer, name: &str, physical: &DataType) -> Option<Groups> {
        if physical.is_nested() {
            return None;
        }
        let descriptor = footer.metadata.file_metadata().schema_descr();
        let converter = StatisticsConverter::try_new(name, &footer.reader_schema, descriptor).ok()?;
        let leaf = converter.parquet_column_index()?;
        // A group that does not count its nulls is not one without.
        let converter = converter.with_missing_null_counts_as_zero(false);
        let groups = || footer.metadata.row_groups().iter();
        let stored = descriptor.column(leaf).physical_type();
        let deprecated = groups().map(|group| group.column(leaf).statistics().is_none_or(|s| s.is_min_max_deprecated())).collect();
        Some(Groups {
            leaf,
            mins: convert(&converter.row_group_mins(groups()).ok()?, physical).ok()?,
            maxes: convert(&converter.row_group_maxes(groups()).ok()?, physical).ok()?,
            nulls: converter.row_group_null_counts(groups()).ok(),
            exact: (converter.row_group_is_min_value_exact(groups()).ok(), converter.row_group_is_max_value_exact(groups()).ok()),
            types: Types::new(),
            // NaN is in no statistics, so a float's bounds are not those of all its values; 96-bit times have no order.
            bounds: !physical.is_floating() && stored != Stored::INT96,
            fixed: matches!(stored, Stored::INT32 | Stored::INT64 | Stored::BOOLEAN),
            deprecated,
        })
    }

    fn nulls(&self, group: usize) -> Option<u64> {
        self.nulls.as_ref().filter(|nulls| nulls.is_valid(group)).map(|nulls| nulls.value(group))
    }

    fn bounds(&self, group: usize) -> Option<(Value, Value)> {
        let exact = |flags: &Option<BooleanArray>| flags.as_ref().is_some_and(|flags| flags.is_valid(group) && flags.value(group));
        if !self.bounds || self.deprecated[group] || !(self.fixed || exact(&self.exact.0) && exact(&self.exact.1)) {
            return None;
        }
        if self.mins.is_null(group) || self.maxes.is_null(group) {
            return None;
        }
        let mut types = self.types.clone();
        let ty = arrow_to_type(&mut types, self.mins.data_type(), true).ok()?;
        Some((value_at(&types, ty, &self.mins, group), value_at(&types, ty, &self.maxes, group)))
    }

    fn distinct(&self, _: &Footer, group: &RowGroupMetaData) -> Option<u64> {
        group.column(self.leaf).statistics()?.distinct_count_opt()
    }
}
